"""Adds up the first values of a list of tuples: in Python, in Cython, and in Cython without the GIL."""

from .compiled import compiled_once

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


def in_python(given):
    total = 0
    for row in given[0]:
        total += row[0]
    return total


def compiled(given):
    return given[1](given[0])
