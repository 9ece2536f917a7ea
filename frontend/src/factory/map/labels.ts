// What a robot is doing, as a label; map.py says the same on the server.

import { t } from "../../texts.js";
import type { RobotFrame } from "./types.js";

export const GREY_AFTER_S = 5;

export interface Label {
  text: string;
  tone: "" | "ok" | "info" | "warn" | "bad";
  icon: "offline" | "stop" | "send" | "clock" | "warn" | "done";
}

export function shown(place: string): string {
  return place.replaceAll("_", " ");
}

export function ago(age: number): string {
  if (age <= GREY_AFTER_S) return t("just now");
  if (age < 120) return t("{n} s ago", { n: Math.round(age) });
  return t("{n} min ago", { n: Math.round(age / 60) });
}

export function heard(age: number | null): string {
  if (age === null) return t("not seen yet");
  return t("last heard {ago}", { ago: ago(age) });
}

export function linkWord(link: string): string {
  if (link === "up") return t("good");
  if (link === "degraded") return t("slow");
  return link === "stale" ? t("silent") : t("lost");
}

// The age grows while no frame comes, so it is not the one in the frame.
export function labelOf(robot: RobotFrame, age: number | null): Label {
  if (age === null || age > GREY_AFTER_S)
    return { text: heard(age), tone: "warn", icon: "offline" };
  if (robot.link === "degraded") return { text: t("slow link"), tone: "warn", icon: "warn" };
  if (robot.link !== "up") return { text: t("no link"), tone: "warn", icon: "offline" };
  if (robot.stopped) return { text: t("emergency stop"), tone: "bad", icon: "stop" };
  if (robot.place !== null) {
    const text = t("drives to {place}", { place: shown(robot.place) });
    return { text, tone: "info", icon: "send" };
  }
  if (robot.doing === "waits")
    return { text: t("waits until its place is free"), tone: "warn", icon: "clock" };
  if (robot.doing === "serves")
    return { text: t("waits for loading or the tank"), tone: "info", icon: "clock" };
  if (robot.why_not) return { text: t("not ready"), tone: "warn", icon: "warn" };
  return { text: t("free"), tone: "ok", icon: "done" };
}
