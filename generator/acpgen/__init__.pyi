from acpgen.judge import validate as validate

__version__: str
