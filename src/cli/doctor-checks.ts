/** What one look found. */
export interface Check {
  name: string
  level: 'ok' | 'warn' | 'bad'
  says: string
  /** What to do about it. */
  mend?: string
  /** There is no database to look at. */
  isMissing?: true
}

export const ok = (name: string, says: string): Check => ({ name, level: 'ok', says })

export const warn = (name: string, says: string, mend: string): Check => ({
  name,
  level: 'warn',
  says,
  mend,
})

export const bad = (name: string, says: string, mend: string): Check => ({
  name,
  level: 'bad',
  says,
  mend,
})
