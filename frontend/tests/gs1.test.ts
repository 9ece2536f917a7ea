// What a scanner reads from labels of suppliers and of ours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plainCode } from "../src/fields/gs1.js";

const cases: [string, string][] = [
  ["L-2026-0042", "L-2026-0042"],
  ["4012345678901", "4012345678901"],
  ["(17)270131(3103)012500(10)L-2026-0042", "L-2026-0042"],
  ["]C1010401234567890110L-7", "L-7"],
  ["]d21727013110L-7\u001d21SN9", "L-7"],
  ["010401234567890110AB12\u001d3103012500", "AB12"],
  ["\u001d10AB12", "AB12"],
  ["]C100340123450000000018", "340123450000000018"],
  ["]Q34140401234567890", "0401234567890"],
  ["(no) code", "(no) code"],
];

for (const [scanned, wanted] of cases)
  test(`${JSON.stringify(scanned)} is ${wanted}`, () => {
    assert.equal(plainCode(scanned), wanted);
  });
