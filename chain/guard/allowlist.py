"""The allowlists: what a contract may use of Python and of the chain. Everything that is not listed is refused.

A name is listed only if it behaves the same on every machine, in every run and on every supported version of Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chain.source.static_types import STORAGE_COLLECTIONS
from chain.source.word_sets import word_set

BUILTINS: Final = word_set(
    """
    abs all any ascii bin bool bytearray bytes callable chr classmethod dict divmod enumerate filter format frozenset hex int
    isinstance issubclass iter len list map max memoryview min next object oct ord pow property range repr reversed round set
    slice sorted staticmethod str sum super tuple type zip
    Ellipsis False None NotImplemented True
    ArithmeticError AssertionError AttributeError Exception IndexError KeyError LookupError NotImplementedError
    OverflowError RuntimeError StopIteration TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError ValueError
    ZeroDivisionError
    __doc__ __file__ __name__ __package__ reveal_type
    """
)

_TYPING: Final = word_set(
    """
    AbstractSet Annotated Any AnyStr Callable ClassVar Collection Concatenate Container Dict Final FrozenSet Generator
    Generic Hashable Iterable Iterator List Literal LiteralString Mapping MutableMapping MutableSequence MutableSet
    NamedTuple Never NewType NoReturn NotRequired Optional ParamSpec Protocol ReadOnly Required Reversible Self Sequence
    Set Sized SupportsAbs SupportsIndex SupportsInt TYPE_CHECKING Tuple Type TypeAlias TypeAliasType TypeGuard TypeIs
    TypeVar TypeVarTuple TypedDict Union Unpack assert_never assert_type cast dataclass_transform final overload override
    reveal_type
    """
)

_COLLECTIONS: Final = frozenset(STORAGE_COLLECTIONS)
_CHAIN: Final = _COLLECTIONS | word_set(
    "Address Contract Key Revert System World call error event init model require view"
)

# By module: the names that a contract may import from it. None allows all of them.
MODULES: Final[Mapping[str, frozenset[str] | None]] = MappingProxyType(
    {
        "__future__": word_set("annotations"),
        "abc": word_set("ABC abstractmethod"),
        "base64": word_set(
            "b16decode b16encode b32decode b32encode b64decode b64encode urlsafe_b64decode urlsafe_b64encode"
        ),
        "bisect": word_set("bisect bisect_left bisect_right insort insort_left insort_right"),
        "chain": _CHAIN,
        "chain.runtime.contract": word_set("Block Contract"),
        "chain.spec.decorators": word_set("call error event init model view"),
        "chain.errors": word_set("Revert require"),
        "chain.storage.collections": _COLLECTIONS,
        "chain.crypto.hashing": word_set("checksum_address keccak"),
        "chain.runtime.random": word_set("Random"),
        "chain.runtime.system": word_set("System WorldModels"),
        "chain.types": None,
        "chain.runtime.world": word_set("World"),
        "collections": word_set("Counter OrderedDict defaultdict deque namedtuple"),
        "collections.abc": word_set(
            """
            Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView
            MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
            """
        ),
        "contextlib": word_set("AbstractContextManager contextmanager nullcontext suppress"),
        "copy": word_set("copy deepcopy"),
        "dataclasses": word_set("KW_ONLY InitVar asdict astuple dataclass field fields replace"),
        "enum": word_set(
            "Enum Flag IntEnum IntFlag StrEnum UNIQUE auto member nonmember unique verify"
        ),
        "functools": word_set("cmp_to_key partial reduce total_ordering wraps"),
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
        "math": word_set("comb factorial gcd isqrt lcm perm prod"),
        "operator": word_set(
            "add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt index indexOf inv invert is_"
            " is_not itemgetter le lshift lt mod mul ne neg not_ or_ pos pow rshift setitem sub truth xor"
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
            "EllipsisType MappingProxyType NoneType NotImplementedType TracebackType"
        ),
        "typing": _TYPING,
        "typing_extensions": _TYPING,
        "urllib.parse": word_set("quote quote_plus unquote unquote_plus"),
    }
)

# The one module of a package that may read the package's data files, and the additional names that it may use for that.
LIBRARY: Final = "library"
LIBRARY_MODULES: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"pathlib": word_set("Path PurePath PurePosixPath"), "importlib.resources": word_set("files")}
)

# The methods of operators with two operands. They may return `NotImplemented`.
OPERATORS: Final = word_set(
    """
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__
    __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__
    __floordiv__ __rfloordiv__ __ifloordiv__ __mod__ __rmod__ __imod__ __divmod__ __rdivmod__ __pow__ __rpow__ __ipow__
    __lshift__ __rlshift__ __ilshift__ __rshift__ __rrshift__ __irshift__ __and__ __rand__ __iand__ __or__ __ror__ __ior__
    __xor__ __rxor__ __ixor__ __matmul__ __rmatmul__ __imatmul__
    """
)
# The special methods that a class may define. Calling them does just what their body says; the others change how classes,
# attributes or instances work.
METHODS: Final = OPERATORS | word_set(
    """
    __init__ __post_init__ __str__ __repr__ __format__ __bytes__ __bool__ __int__ __index__ __hash__ __len__ __iter__ __next__
    __reversed__ __contains__ __getitem__ __setitem__ __delitem__ __missing__ __call__ __enter__ __exit__
    __neg__ __pos__ __abs__ __invert__
    """
)

# The other double-underscore names that a module or a class may set.
SETTINGS: Final = word_set("__all__ __doc__ __match_args__ __slots__ __test__")
