from acpgen.judge.single import validate as validate

__version__: str
