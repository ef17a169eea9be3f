/**
 * Whether two names of an account holder are the same: the same words in any order, whatever their
 * case and accents. OBI, Àdá is Ada Obi.
 */
export const isSameName = (one: string, other: string): boolean => wordsOf(one) === wordsOf(other)

const wordsOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .sort()
    .join(' ')
