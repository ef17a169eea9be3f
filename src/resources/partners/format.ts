import { randomText } from '../../lib/random.ts'
import { isWellFormed, newSecret } from '../keys/format.ts'

/** Public: it names the partner to businesses, to the server and in logs. */
export const newClientId = (live: boolean): string =>
  `pc_${live ? 'live' : 'test'}_${randomText(20)}`

/** Shown once and kept as a hash, like a key. */
export const newClientSecret = (live: boolean): string => newSecret('ps', live)

/** What is sent in place of a key, for an hour. */
export const newToken = (live: boolean): string => newSecret('pt', live)

export const isClientSecret = (text: string): boolean =>
  text.startsWith('ps_') && isWellFormed(text)

export const isToken = (text: string): boolean => text.startsWith('pt_') && isWellFormed(text)
