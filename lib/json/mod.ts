/** JSON that loses nothing. @module */
export { isObject } from "./is_object.ts";
export { isRawNumber, parseJson, rawNumber } from "./lossless.ts";
