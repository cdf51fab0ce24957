import { isRawNumber } from "../json/mod.ts";

/** A decimal number of any size: `0.<digits>` times ten to the power of `scale`; the digits neither begin nor end with a zero. */
export interface Decimal {
  /** -1, 0 or 1. */
  sign: number;
  digits: string;
  scale: number;
}

/** Beyond this nobody tells exponents apart. */
const LARGEST_EXPONENT = 1e15;
/** Digits beyond which divisibility is not worked out. */
const MOST_DIGITS = 10_000;

/** A JSON number, as a double or as its digits, exactly; undefined for anything else. */
export function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? readDecimal(String(value)) : undefined;
  return isRawNumber(value) ? readDecimal(value.rawJSON) : undefined;
}

function readDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, minus = "", whole = "", fraction = "", power = "0"] = match;
  const all = whole + fraction;
  let start = 0;
  while (all[start] === "0") start++;
  let end = all.length;
  while (end > start && all[end - 1] === "0") end--;
  if (start === end) return { sign: 0, digits: "", scale: 0 };
  const exponent = Math.max(-LARGEST_EXPONENT, Math.min(LARGEST_EXPONENT, Number(power)));
  return {
    sign: minus === "" ? 1 : -1,
    digits: all.slice(start, end),
    scale: whole.length - start + exponent,
  };
}

/** Below 0 where `one` is the smaller number, above 0 where it is the larger. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  if (one.sign !== other.sign || one.sign === 0) return one.sign - other.sign;
  const size = one.scale - other.scale ||
    (one.digits < other.digits ? -1 : one.digits > other.digits ? 1 : 0);
  return size === 0 ? 0 : size * one.sign;
}

/** Whether a number has no fraction. */
export function isWhole({ digits, scale }: Decimal): boolean {
  return digits.length <= scale || digits === "";
}

/** Whether `value` is a whole multiple of `step`, exactly; undefined where working that out would take long. */
export function isMultiple(value: Decimal, step: Decimal): boolean | undefined {
  if (value.sign === 0) return true;
  if (step.sign === 0) return false;
  if (value.digits.length > MOST_DIGITS || step.digits.length > MOST_DIGITS) return undefined;
  const zeros = value.scale - value.digits.length - (step.scale - step.digits.length);
  if (zeros < 0) return false; // it would have to end with a zero, and its zeros are in the scale
  const divisor = BigInt(step.digits);
  return BigInt(value.digits) * powerOfTen(zeros, divisor) % divisor === 0n;
}

/** Ten to the power of `exponent`, modulo `divisor`. */
function powerOfTen(exponent: number, divisor: bigint): bigint {
  let result = 1n;
  let base = 10n % divisor;
  for (let left = BigInt(exponent); left > 0n; left >>= 1n) {
    if (left & 1n) result = result * base % divisor;
    base = base * base % divisor;
  }
  return result;
}
