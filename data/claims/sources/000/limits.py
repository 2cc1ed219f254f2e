"""What Althaia's author says of using it and Toasted Marshmallow, each as a question that is answered."""

import importlib


class Object(object):
    def __init__(self, **values):
        self.__dict__.update(values)


def stands_in(_):
    """Whether code that imports marshmallow gets Althaia's, after one call."""
    importlib.import_module("althaia").patch()
    import marshmallow

    return "althaia" in marshmallow.Schema.__module__ or "althaia" in marshmallow.__file__


def files_in_common(_):
    """Whether Toasted's distribution brings files of marshmallow's names, so that one overwrites the other."""
    from importlib.metadata import files

    return any(str(path).startswith("marshmallow/") for path in files("toastedmarshmallow"))


def generation(_):
    import marshmallow

    return marshmallow.__version__.partition(".")[0]


def makes_schemas(_):
    """Whether a schema can be made of a dict at run time."""
    import marshmallow

    return hasattr(marshmallow.Schema, "from_dict")


def used_without_asking(_):
    """Whether a schema that names no generator has one."""
    import marshmallow

    class Author(marshmallow.Schema):
        name = marshmallow.fields.Str()

    return Author().jit is not None


def generated(_, attribute=None):
    """Whether a function is generated for a field of this attribute; without one, marshmallow 2 itself dumps."""
    import marshmallow
    from toastedmarshmallow import Jit

    class Author(marshmallow.Schema):
        name = marshmallow.fields.Str(attribute=attribute)

    schema = Author()
    schema.jit = Jit
    person = Object(first=Object(name="Ada"), name="Ada")
    assert schema.dump(person).data == {"name": "Ada"}
    return schema._jit_instance.jitted_marshal_method is not None


def generated_for_dots(_):
    return generated(_, "first.name")
