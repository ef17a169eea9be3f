import { currentPlace } from '../api/call.ts'
import { onLeave } from '../api/session.ts'

interface RecentRecord {
  /** The screen's address without the mode: `invoices/INV_1`. */
  path: string
  title: string
}

const RECENT_MAX = 8
const KEPT = 'tradepost.recent'

const nameOf = () => {
  const { business, mode } = currentPlace()
  return `${KEPT} ${business} ${mode}`
}

/** Returns the records that were viewed last in this window, newest first. */
export function recentRecords(): RecentRecord[] {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf()) ?? '[]')
  } catch {
    return []
  }
}

let last = ''

/** Remembers a record that is being viewed. Ignores lists and forms. */
export function rememberRecord(pathname: string, title: string | undefined): void {
  const [, , ...steps] = pathname.split('/')
  const path = steps.join('/')
  if (!title || steps.length !== 2 || steps[1] === 'new' || `${path} ${title}` === last) return
  last = `${path} ${title}`
  const others = recentRecords().filter((one) => one.path !== path)
  const kept = [{ path, title }, ...others].slice(0, RECENT_MAX)
  sessionStorage.setItem(nameOf(), JSON.stringify(kept))
}

onLeave(() => {
  last = ''
  const names = Object.keys(sessionStorage).filter((name) => name.startsWith(KEPT))
  for (const name of names) sessionStorage.removeItem(name)
})
