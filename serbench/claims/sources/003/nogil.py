"""Adds up the first values of a list of tuples: in Python, in Cython, and in Cython without the GIL."""

import importlib
import sys
from pathlib import Path

PYX = '''
cdef extern from "Python.h":
    ctypedef struct PyObject
    PyObject *PyList_GET_ITEM(PyObject *, Py_ssize_t) nogil
    PyObject *PyTuple_GET_ITEM(PyObject *, Py_ssize_t) nogil
    long PyLong_AsLong(PyObject *) nogil

def with_gil(list rows):
    """The loop as Cython compiles it."""
    cdef long long total = 0
    cdef tuple row
    for row in rows:
        total += <long long>row[0]
    return total

def without_gil(list rows):
    """The loop on pointers, with the GIL released."""
    cdef long long total = 0
    cdef Py_ssize_t i, size = len(rows)
    cdef PyObject *row
    cdef PyObject *records = <PyObject *>rows
    with nogil:
        for i in range(size):
            row = PyList_GET_ITEM(records, i)
            total += PyLong_AsLong(PyTuple_GET_ITEM(row, 0))
    return total
'''


def prepare(rows, compiled=None):
    """Tuples of four values, and the compiled function where it is used."""
    made = [(number, float(number), str(number), None) for number in range(rows)]
    return made, getattr(compiled_once("serbench_nogil", PYX), compiled) if compiled else None


def compiled_once(name, source):
    """Compile a module of Cython once in this environment."""
    import pyximport

    folder = Path(sys.prefix) / "built"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.pyx"
    if not path.exists() or path.read_text() != source:
        path.write_text(source)
    pyximport.install(build_dir=str(folder), language_level=3)
    sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def in_python(given):
    total = 0
    for row in given[0]:
        total += row[0]
    return total


def compiled(given):
    return given[1](given[0])
