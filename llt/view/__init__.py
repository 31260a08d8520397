"""The viewer: a page in the browser that shows cases, and asks live problems.

`opening` makes a `Scene` of what was named: a run, a dataset, pretrained weights or a mesh file;
`application` serves it to the page under `static/`, whose sources are in viewer/.
"""
