"""Adds up the first values of asyncpg's records: in Python, in Cython, and in Cython on pointers without the GIL."""

from asyncpg.protocol import protocol

from .compiled import compiled_once

PYX = '''
cdef extern from *:
    """
    typedef struct {
        PyObject_VAR_HEAD
        Py_hash_t self_hash;
        PyObject *desc;
        PyObject *ob_item[1];
    } RecordOfAsyncpg;
    #define RECORD_ITEM(record, place) (((RecordOfAsyncpg *)(record))->ob_item[place])
    """
    ctypedef struct PyObject
    PyObject *RECORD_ITEM(PyObject *, int) nogil

cdef extern from "Python.h":
    PyObject *PyList_GET_ITEM(PyObject *, Py_ssize_t) nogil
    long PyLong_AsLong(PyObject *) nogil

def with_gil(list rows):
    """The loop as Cython compiles it."""
    cdef long long total = 0
    for row in rows:
        total += <long long>row[0]
    return total

def without_gil(list rows):
    """The loop on pointers, with the GIL released."""
    cdef long long total = 0
    cdef Py_ssize_t i, size = len(rows)
    cdef PyObject *records = <PyObject *>rows
    with nogil:
        for i in range(size):
            total += PyLong_AsLong(RECORD_ITEM(PyList_GET_ITEM(records, i), 0))
    return total
'''


def prepare(rows, compiled=None):
    """Records of four values as the driver makes them, and the compiled function where it is used."""
    names = {name: place for place, name in enumerate("abcd")}
    made = [protocol._create_record(names, (number, float(number), str(number), None)) for number in range(rows)]
    return made, getattr(compiled_once("serbench_nogil_records", PYX), compiled) if compiled else None


def in_python(given):
    total = 0
    for row in given[0]:
        total += row[0]
    return total


def compiled(given):
    return given[1](given[0])
