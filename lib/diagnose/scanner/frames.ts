/** What a bracket opened. */
export const BLOCK = 0;
export const OBJECT = 1;
export const PAREN = 2;
export const BRACKET = 3;
/** `${` inside a template. */
export const TEMPLATE = 4;
/** Inside `<Name …` of JSX. */
export const TAG = 5;
/** Between `<Name>` and `</Name>` of JSX. */
export const TEXT = 6;

const NONE: number[] = [];

/** Something opened and not closed yet; objects of this shape are reused by depth. */
export class Frame {
  kind: number = BLOCK;
  open = 0;
  /** The keyword before a parenthesis that is no argument list. */
  control = 0;
  /** Depth of the nearest block, this one included. */
  blockDepth = 0;
  /** Depth of the nearest function body, this one included: where `var` goes. */
  functionDepth = 0;
  /** Words in here may turn out to be parameters. */
  inParams = false;
  /** Words in here are being declared. */
  pattern = false;
  /** A declaration is under way: a comma is followed by another name. */
  declaring = false;
  caseOpen = false;
  /** `?` that still want their `:`, or `<` in a tag. */
  pendingMarks = 0;
  /** How many parameter candidates there were when this opened. */
  candidates = 0;
  /** Chains of bindings that end with this frame, and with the expression under way in it; -1 is none. */
  bindings = -1;
  expressionBindings = -1;
  /** How far parameters that were read on this level have been confirmed; 0 is none. */
  suspended = 0;
  suspendedOpen = 0;
  suspendedFor = false;
  suspendedNames: number[] = NONE;
  /** Index of the call whose arguments these are, or -1. */
  call = -1;

  /** Makes this the frame of a bracket at `open` inside `parent`. */
  reset(kind: number, open: number, depth: number, parent: Frame): void {
    this.kind = kind;
    this.open = open;
    this.control = 0;
    const braces = kind === BLOCK || kind === TEMPLATE;
    this.blockDepth = braces ? depth : parent.blockDepth;
    this.functionDepth = parent.functionDepth;
    this.inParams = parent.inParams && (kind === OBJECT || kind === BRACKET);
    this.pattern = false;
    this.declaring = false;
    this.caseOpen = false;
    this.pendingMarks = 0;
    this.candidates = 0;
    this.bindings = -1;
    this.expressionBindings = -1;
    this.call = -1;
    this.suspended = 0;
    this.suspendedNames = NONE;
  }
}
