/**
 * Questions: what they are, who is to answer, what an answer has to fit. Pure: values in, values out.
 *
 * @module
 */
export { askerOf } from "./asker.ts";
export { briefMessage, type BriefQuestion, briefQuestion, settledRecord } from "./brief_question.ts";
export {
  type AnswerProblem,
  checkAnswer,
  type CheckedAnswer,
  fieldProblem,
  uncheckedFields,
} from "./check_answer.ts";
export { type FieldOption, type FieldType, type FormField, formFields } from "./form_fields.ts";
export { makeQuestion, type QuestionFacts, SAMPLING_SCHEMA } from "./make_question.ts";
export {
  chosenInstance,
  confirmationQuestion,
  destructiveReason,
  disambiguationQuestion,
  type InstanceChoice,
  isConfirmed,
  NEW_INSTANCE,
  recipeFormQuestion,
} from "./policy_questions.ts";
export type { DraftFacts, OwnDraft, QuestionDraft, UpstreamDraft } from "./question_draft.ts";
export { readAnswer } from "./read_answer.ts";
export { judgePage, type PageAddress } from "./page_address.ts";
export { type Route, routeQuestion } from "./route_question.ts";
export { HIDDEN, isSecretField, isSecretName, withoutSecrets } from "./secret_names.ts";
export { alreadySettled, expireQuestion, settleQuestion } from "./settle_question.ts";
export { answerCommand, fieldLines, withoutSecretValues } from "./show_question.ts";
export type { Answer, Audience, Question, QuestionKind, QuestionState } from "./types.ts";
