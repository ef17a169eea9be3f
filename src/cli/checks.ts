/** One check of `tradepost doctor`. */
export interface Check {
  name: string
  level: 'ok' | 'warn' | 'bad'
  says: string
  fix?: string
  /** True if there is no database to check. */
  isMissing?: true
}

export const ok = (name: string, says: string): Check => ({ name, level: 'ok', says })

export const warn = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'warn',
  says,
  fix,
})

export const bad = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'bad',
  says,
  fix,
})
