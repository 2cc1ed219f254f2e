"""Twenty quotes with their authors, dumped as in marshmallow's own benchmark or as in Toasted Marshmallow's."""

import datetime
import importlib
import importlib.machinery
import sys


class SourceOnly:
    """Finds althaia's modules as source, beside which the compiled ones lie."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None or name.partition(".")[0] != "althaia":
            return None
        loaders = importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES
        return importlib.machinery.FileFinder(path[0], loaders).find_spec(name)


class Object(object):
    def __init__(self, **values):
        self.__dict__.update(values)


def objects(own):
    """The benchmarks differ in when a quote was posted and in two flags."""
    moment = datetime.datetime(2019, 7, 4, tzinfo=datetime.timezone.utc) if own else 1562198400.25
    authors = [
        Object(id=n, first="Foo", last="Bar", book_count=42, age=66, address="1 Long Street", deceased=False)
        for n in range(20)
    ]
    return [
        Object(
            id=author.id,
            author=author,
            content="Hello there",
            posted_at=moment,
            book_name="The Book",
            page_number=34,
            line_number=3,
            col_number=70,
            is_verified=False,
        )
        for author in authors
    ]


def own_schema(marshmallow):
    """marshmallow's: a value by a method, a date, and a step after the dump."""
    fields = marshmallow.fields

    class Author(marshmallow.Schema):
        id = fields.Int(dump_only=True)
        first = fields.Str()
        last = fields.Str()
        book_count = fields.Float()
        age = fields.Float()
        address = fields.Str()
        full_name = fields.Method("name_of")

        def name_of(self, author):
            return "{}, {}".format(author.last, author.first)

    class Quote(marshmallow.Schema):
        id = fields.Int(dump_only=True)
        author = fields.Nested(Author)
        content = fields.Str(required=True)
        posted_at = fields.DateTime(dump_only=True)
        book_name = fields.Str()
        page_number = fields.Float()
        line_number = fields.Float()
        col_number = fields.Float()

        @marshmallow.post_dump
        def add_name(self, data, **_):
            data["author_full"] = "{}, {}".format(data["author"]["last"], data["author"]["first"])
            return data

    return Quote(many=True)


def toasted_schema(marshmallow):
    """Toasted Marshmallow's: fields only, with its hints to the generated code."""
    fields = marshmallow.fields

    class Author(marshmallow.Schema):
        class Meta:
            jit_options = {"no_callable_fields": True}

        id = fields.Int(dump_only=True)
        first = fields.Str()
        last = fields.Str()
        book_count = fields.Float()
        age = fields.Float()
        address = fields.Str()
        deceased = fields.Boolean()

    class Quote(marshmallow.Schema):
        class Meta:
            jit_options = {"no_callable_fields": True, "expected_marshal_type": "object"}

        id = fields.Int(dump_only=True)
        author = fields.Nested(Author)
        content = fields.Str(required=True)
        posted_at = fields.Int(dump_only=True)
        book_name = fields.Str()
        page_number = fields.Float()
        line_number = fields.Float()
        col_number = fields.Float()
        is_verified = fields.Boolean()

    return Quote(many=True)


def prepare(package="marshmallow", benchmark="marshmallow"):
    """A schema of a package, with the objects of a benchmark: "althaia" is patched in, "althaia as source" not compiled."""
    if package == "althaia as source":
        sys.meta_path.insert(0, SourceOnly)
    if package.startswith("althaia"):
        importlib.import_module("althaia").patch()
    import marshmallow

    compiled = not marshmallow.schema.__file__.endswith(".py")
    if compiled != (package == "althaia"):
        raise RuntimeError("marshmallow is " + ("compiled" if compiled else "source") + " here")
    own = benchmark == "marshmallow"
    schema = (own_schema if own else toasted_schema)(marshmallow)
    if package == "toasted, optimised":
        schema.jit = importlib.import_module("toastedmarshmallow").Jit
    return schema, objects(own)


def dump(given):
    schema, quotes = given
    return schema.dump(quotes)


def answer(dumped):
    """What was dumped; marshmallow 2 wraps it with the errors."""
    return getattr(dumped, "data", dumped)
