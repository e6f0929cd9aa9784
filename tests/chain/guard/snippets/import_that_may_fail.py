import string

try:
    from typing import override
except ImportError:
    from typing_extensions import override

if string.digits:
    import textwrap
