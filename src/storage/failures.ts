import { unavailable } from '../lib/problem.ts'

/** What a store cannot do now, it has not done; the log has the cause. */
export const storageUnavailable = (cause: unknown) =>
  unavailable('storage_unavailable', 'The store of files cannot be used just now.', cause)
