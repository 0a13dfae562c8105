from command_files import colabel  # noqa: F401  a fixture
