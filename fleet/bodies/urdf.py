"""A vehicle as URDF, for programs that show robots or simulate their masses.

Collision bodies are always the plain box and cylinders; a mesh replaces only what is
seen. Moments of inertia are computed from the shapes.
"""

from __future__ import annotations

from lxml import etree

from fleet.bodies.inertia import of_box, of_cylinder
from fleet.bodies.model import Joint, Link, Vehicle

Node = etree._Element
STEERING_M = (0.04, 0.04, 0.04)
"""The mechanism is small and its shape is in no table: a cube stands for it."""
EFFORT_NM = 30.0
ON_SIDE = "1.5707963267948966 0 0"
Vector = tuple[float, float, float]
PLACE = (0.0, 0.0, 0.0)


def urdf_of(vehicle: Vehicle) -> str:
    """base_link lies on the ground below the rear axle, x forward."""
    root = etree.Element("robot", {"name": vehicle.name})
    for link in vehicle.links:
        _link(root, vehicle, link)
    for sensor in vehicle.sensors:
        root.append(etree.Comment(f" {sensor.model or sensor.kind} "))
        etree.SubElement(root, "link", {"name": _sensor_link(sensor.name)})
    places = {link.name: link.at for link in vehicle.links}
    for joint in vehicle.joints:
        _joint(root, vehicle, joint, places)
    base = next(link.name for link in vehicle.links if link.shape == "shell")
    for sensor in vehicle.sensors:
        node = etree.SubElement(
            root, "joint", {"name": f"base2{sensor.name}", "type": "fixed"}
        )
        _origin(node, sensor.at)
        etree.SubElement(node, "parent", {"link": base})
        etree.SubElement(node, "child", {"link": _sensor_link(sensor.name)})
    made: bytes = etree.tostring(
        root, pretty_print=True, xml_declaration=True, encoding="utf-8"
    )
    return made.decode()


def _sensor_link(name: str) -> str:
    return f"{name}_link"


def _words(values: Vector) -> str:
    return " ".join(f"{value:g}" for value in values)


def _origin(node: Node, at: Vector, rpy: str = "0 0 0") -> None:
    etree.SubElement(node, "origin", {"xyz": _words(at), "rpy": rpy})


def _link(root: Node, vehicle: Vehicle, link: Link) -> None:
    size, masses = vehicle.dimensions, vehicle.masses
    node = etree.SubElement(root, "link", {"name": link.name})
    at, rpy = PLACE, "0 0 0"
    if link.shape == "wheel":
        shape = etree.Element(
            "cylinder",
            {"radius": f"{size.wheel_radius_m:g}", "length": f"{size.wheel_width_m:g}"},
        )
        rpy, mass_kg = ON_SIDE, masses.wheel_kg
        moments = of_cylinder(mass_kg, size.wheel_radius_m, size.wheel_width_m)
    else:
        shell = link.shape == "shell"
        sides = (
            (size.shell_length_m, size.shell_width_m, size.shell_height_m)
            if shell
            else STEERING_M
        )
        shape = etree.Element("box", {"size": _words(sides)})
        at = size.shell_middle_m if shell else PLACE
        mass_kg = masses.shell_kg if shell else masses.steering_kg
        moments = of_box(mass_kg, *sides)
    inertial = etree.SubElement(node, "inertial")
    _origin(inertial, at, rpy)
    etree.SubElement(inertial, "mass", {"value": f"{mass_kg:g}"})
    values = dict(zip(("ixx", "iyy", "izz"), moments, strict=True))
    values |= {"ixy": 0.0, "ixz": 0.0, "iyz": 0.0}
    etree.SubElement(inertial, "inertia", {k: f"{v:.9g}" for k, v in values.items()})
    for part in ("visual", "collision"):
        side = etree.SubElement(node, part)
        geometry = etree.Element("geometry")
        if part == "visual" and link.mesh:
            # A mesh is drawn in the frame of its link.
            _origin(side, PLACE)
            etree.SubElement(geometry, "mesh", {"filename": link.mesh})
        else:
            _origin(side, at, rpy)
            geometry.append(etree.fromstring(etree.tostring(shape)))
        side.append(geometry)


def _joint(
    root: Node, vehicle: Vehicle, joint: Joint, places: dict[str, Vector]
) -> None:
    node = etree.SubElement(root, "joint", {"name": joint.name, "type": joint.kind})
    child, parent = places[joint.child], places[joint.parent]
    _origin(node, (child[0] - parent[0], child[1] - parent[1], child[2] - parent[2]))
    etree.SubElement(node, "parent", {"link": joint.parent})
    etree.SubElement(node, "child", {"link": joint.child})
    limits = vehicle.limits
    if joint.kind == "revolute":
        etree.SubElement(node, "axis", {"xyz": "0 0 1"})
        etree.SubElement(
            node,
            "limit",
            {
                "lower": f"{-limits.steering_rad:.9g}",
                "upper": f"{limits.steering_rad:.9g}",
                "effort": f"{EFFORT_NM:g}",
                "velocity": f"{limits.steering_radps:.9g}",
            },
        )
    else:
        etree.SubElement(node, "axis", {"xyz": "0 1 0"})
        fastest = limits.forward_mps / vehicle.dimensions.wheel_radius_m
        etree.SubElement(
            node, "limit", {"effort": f"{EFFORT_NM:g}", "velocity": f"{fastest:.6g}"}
        )
