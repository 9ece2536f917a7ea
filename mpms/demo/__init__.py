"""The whole factory on this machine; ``house`` opens it.

A plant also imports from here, to know the demo's people and to keep them out. So the
package itself imports nothing.
"""
