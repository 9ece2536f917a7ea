"""The commands about scales and tanks: ``mpms scales``, ``mpms tanks``."""

from __future__ import annotations

import argparse

Commands = argparse._SubParsersAction


def add_scales(commands_of: Commands[argparse.ArgumentParser]) -> None:
    scales = commands_of.add_parser("scales", help="the scales of the plant")
    of_scales = scales.add_subparsers(required=True, metavar="ACTION")
    check = of_scales.add_parser("check", help="read each scale once")
    check.add_argument("names", nargs="*", metavar="SCALE")
    check.set_defaults(run="cli.scales.check")
    simulate = of_scales.add_parser(
        "simulate", help="a scale to try things with, until stopped"
    )
    simulate.add_argument("driver", choices=("mt-sics", "modbus", "opc-ua"))
    simulate.add_argument("--port", type=int, default=0)
    simulate.add_argument("--kg", default="0", help="what lies on it")
    simulate.add_argument("--tare", default="0", metavar="KG")
    simulate.add_argument("--place", default="bench", help="for the lines it prints")
    simulate.set_defaults(run="cli.scales.simulate")
    tanks = commands_of.add_parser("tanks", help="the tanks of the plant")
    of_tanks = tanks.add_subparsers(required=True, metavar="ACTION")
    tank = of_tanks.add_parser(
        "simulate", help="a tank with a controller, until stopped"
    )
    tank.add_argument("driver", choices=("modbus", "opc-ua"))
    tank.add_argument("--port", type=int, default=0)
    tank.add_argument("--seconds", type=float, default=20.0, help="that it mixes")
    tank.add_argument("--place", default="tank", help="for the lines it prints")
    tank.set_defaults(run="cli.tanks.simulate")
