"""The one exception that means: the user can mend this."""


class UserError(Exception):
    """A mistake in the configuration or the data, told in one line.

    The message says what was expected, what was found and what to do, and names the file and the
    row or key. Command-line verbs print it without a traceback and exit with status 1.
    """
