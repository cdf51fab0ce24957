import assert from "node:assert/strict";
import fc from "fast-check";
import { rawNumber } from "../json/mod.ts";
import { compareDecimals, type Decimal, decimalOf, isMultiple, isWhole } from "./decimal.ts";

const decimal = (text: string): Decimal => decimalOf(rawNumber(text)) ?? assert.fail(text);

Deno.test("numbers of any size compare as numbers do", () => {
  const integers = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(fc.property(integers, integers, (a, b) => {
    assert.equal(
      Math.sign(compareDecimals(decimal(String(a)), decimal(String(b)))),
      a < b ? -1 : a > b ? 1 : 0,
    );
  }));
  const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(fc.property(doubles, doubles, (a, b) => {
    const [one, other] = [decimalOf(a) ?? assert.fail(), decimalOf(b) ?? assert.fail()];
    assert.equal(Math.sign(compareDecimals(one, other)), a < b ? -1 : a > b ? 1 : 0);
    assert.equal(isWhole(one), Number.isInteger(a));
  }));
  assert.ok(compareDecimals(decimal("1e400"), decimal("1e399")) > 0);
  assert.ok(compareDecimals(decimal("-1e400"), decimal("-1e399")) < 0);
  assert.equal(compareDecimals(decimal("10.0e399"), decimal("1e400")), 0);
  assert.ok(compareDecimals(decimal(`1e${"9".repeat(400)}`), decimal("5")) > 0);
});

Deno.test("a number is a multiple of a step or is not, exactly", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.bigInt({ min: 1n, max: 10n ** 9n }),
      (a, b) => {
        assert.equal(isMultiple(decimal(String(a)), decimal(String(b))), a % b === 0n);
      },
    ),
  );
  for (
    const [value, step, expected] of [
      ["1.1", "0.1", true],
      ["0.3", "0.1", true],
      ["0.35", "0.1", false],
      ["7.5", "2.5", true],
      ["1e400", "7", false],
      ["1e400", "8", true],
      ["1e999999999999", "3", false],
      ["0", "3", true],
      ["3", "0", false],
      ["0.5", "10", false],
    ] as const
  ) assert.equal(isMultiple(decimal(value), decimal(step)), expected, `${value} ${step}`);
  assert.equal(isMultiple(decimal("9".repeat(20_000)), decimal("7")), undefined);
});
