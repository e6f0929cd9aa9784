"""The allowlists: what a contract may use of Python and of the chain. Everything that is not listed is refused.

A name is listed only if it behaves the same on every machine, in every run and on every supported version of Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chain.source.word_sets import word_set

_TYPING: Final = word_set(
    """
    AbstractSet Annotated Any AnyStr Callable ClassVar Collection Concatenate Container Dict Final FrozenSet Generator
    Generic Hashable Iterable Iterator List Literal LiteralString Mapping MutableMapping MutableSequence MutableSet
    NamedTuple Never NewType NoReturn NotRequired Optional ParamSpec Protocol ReadOnly Required Reversible Self Sequence
    Set Sized SupportsAbs SupportsIndex SupportsInt TYPE_CHECKING Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs
    TypeVar TypeVarTuple TypedDict Union Unpack assert_never assert_type cast dataclass_transform final overload override
    runtime_checkable
    """
)
_COLLECTIONS: Final = word_set("IterableMap Map Set Vector")

# By module: the names that a contract may use of it. None allows all of them.
MODULES: Final[Mapping[str, frozenset[str] | None]] = MappingProxyType(
    {
        "__future__": word_set("annotations"),
        "abc": word_set("ABC ABCMeta abstractmethod"),
        "base64": word_set(
            "b16decode b16encode b32decode b32encode b64decode b64encode urlsafe_b64decode urlsafe_b64encode"
        ),
        "bisect": word_set("bisect bisect_left bisect_right insort insort_left insort_right"),
        "builtins": word_set(
            """
            abs all any ascii bin bool bytearray bytes callable chr classmethod dict divmod enumerate filter format frozenset
            hex int isinstance issubclass iter len list map max memoryview min next object oct ord pow property range repr
            reversed round set slice sorted staticmethod str sum super tuple type zip
            Ellipsis False None NotImplemented True __doc__ __name__ __package__
            ArithmeticError AssertionError AttributeError Exception ImportError IndexError KeyError LookupError
            ModuleNotFoundError NameError NotImplementedError OverflowError RuntimeError StopIteration TypeError
            UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError ZeroDivisionError
            """
        ),
        "chain": _COLLECTIONS
        | word_set(
            "Address Contract Key Revert System World call error event init keccak model require view"
        ),
        "chain.crypto.hashing": word_set("checksum_address keccak"),
        "chain.errors": word_set("Revert require"),
        "chain.runtime.contract": word_set("Block Contract"),
        "chain.runtime.random": word_set("Random"),
        "chain.runtime.system": word_set("System WorldModels"),
        "chain.runtime.world": word_set("World"),
        "chain.spec.decorators": word_set("call error event init model view"),
        "chain.storage.collections": _COLLECTIONS,
        "chain.types": None,
        "collections": word_set("ChainMap Counter OrderedDict defaultdict deque namedtuple"),
        "collections.abc": word_set(
            """
            Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView
            MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
            """
        ),
        "contextlib": word_set("AbstractContextManager contextmanager nullcontext suppress"),
        "copy": word_set("copy deepcopy"),
        "dataclasses": word_set(
            "KW_ONLY InitVar asdict astuple dataclass field fields is_dataclass replace"
        ),
        "enum": word_set(
            "Enum Flag IntEnum IntFlag StrEnum UNIQUE auto member nonmember unique verify"
        ),
        "fractions": word_set("Fraction"),
        "functools": word_set("cmp_to_key partial partialmethod reduce total_ordering wraps"),
        "hashlib": word_set(
            "blake2b blake2s md5 sha1 sha224 sha256 sha384 sha3_224 sha3_256 sha3_384 sha3_512 sha512"
        ),
        "heapq": word_set(
            "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"
        ),
        "itertools": word_set(
            """
            accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse groupby
            islice pairwise permutations product repeat starmap takewhile tee zip_longest
            """
        ),
        "json": word_set("JSONDecodeError dumps loads"),
        "math": word_set("ceil comb factorial floor gcd isqrt lcm perm prod trunc"),
        "operator": word_set(
            "add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt index indexOf inv invert is_"
            " is_not itemgetter le lshift lt methodcaller mod mul ne neg not_ or_ pos pow rshift setitem sub truth xor"
        ),
        "re": word_set(
            "A ASCII DOTALL I IGNORECASE M MULTILINE Match NOFLAG Pattern RegexFlag S VERBOSE X compile error escape"
            " findall finditer fullmatch match search split sub subn"
        ),
        "string": word_set(
            "Formatter Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits printable"
            " punctuation whitespace"
        ),
        "textwrap": word_set("TextWrapper dedent fill indent shorten wrap"),
        "types": word_set(
            "EllipsisType MappingProxyType NoneType NotImplementedType SimpleNamespace TracebackType"
        ),
        "typing": _TYPING,
        "typing_extensions": _TYPING,
        "urllib.parse": word_set("quote quote_plus unquote unquote_plus"),
    }
)
