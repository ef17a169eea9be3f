import { NOT_NOW, UTILITY } from './error-codes/conflicts.ts'
import { MISSING } from './error-codes/missing.ts'
import { OURS } from './error-codes/ours.ts'
import { PEOPLE } from './error-codes/people.ts'
import { FILES, REFUSED, UNREADABLE } from './error-codes/requests.ts'
import type { ProblemKind } from './problem.ts'

/** Every `errorCode` there is. docs/errors.md is printed from it: `npm test -- test/errors -u`. */
export const ERROR_CODES = {
  ...UNREADABLE,
  ...REFUSED,
  ...MISSING,
  ...NOT_NOW,
  ...FILES,
  ...UTILITY,
  ...PEOPLE,
  ...OURS,
}

export type ErrorCode = keyof typeof ERROR_CODES

/** The codes of one kind. */
export type CodeOf<Kind extends ProblemKind> = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code]['kind'] extends Kind ? Code : never
}[ErrorCode]

type Before<End extends string, Code = ErrorCode> = Code extends `${infer Noun}${End}`
  ? Noun
  : never

/** What can be missing, in the words of the contract: `invoice`. */
export type NotFoundNoun = Before<'_not_found'>

/** What has states that may not allow a move. */
export type StateNoun = Before<'_state'>
