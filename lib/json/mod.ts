/** JSON that loses nothing. @module */
export { isRawNumber, parseJson, rawNumber } from "./lossless.ts";
