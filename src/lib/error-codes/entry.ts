import type { ProblemKind } from '../problem.ts'

export interface ErrorCodeEntry {
  /** Decides the status; a number is the status of what is refused before it is a request. */
  kind: ProblemKind | number
  means: string
  /** What envelope C with the flag says beside it: two digits, as card networks use them. */
  responseCode?: string
  /** What the caller does about it. */
  mend: string
}
