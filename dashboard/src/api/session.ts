export type Mode = 'test' | 'live'

export type Role = 'owner' | 'admin' | 'developer' | 'finance' | 'support' | 'viewer'

export interface Business {
  /** Sent as X-Business-Id. */
  id: number
  reference: string
  name: string
  role: Role
  currency: string
  timeZone: string
  /** Whether members of the business must use two-factor authentication. */
  requiresTwoFactor: boolean
}

/** The response of `/console/me`. */
export interface Me {
  person: {
    id: number
    name: string
    email: string
    /** Whether the user has opened a link that was sent to their email address. */
    emailProved: boolean
    /** Whether the user has set up an authenticator app. */
    twoFactor: boolean
    /** Whether the user has a passkey on any device. */
    passkey: boolean
    /** Whether the user signed in with more than a password: an authenticator app or a passkey. */
    secondFactor: boolean
  }
  businesses: Business[]
  /** Must be sent with every request that changes something. */
  csrf: string
  /**
   * The scopes that the user's role in the current business has in `mode`, such as
   * `invoices:write`.
   */
  scopes: string[]
  mode: Mode
  /** What no provider does for the current business in live mode: take payments, pay out. */
  liveMissing: ('payments' | 'payouts')[]
}

const CHOSEN = 'tradepost.business'

let me: Me | undefined
/** The id of the last user who signed in, kept after they have signed out. */
let last: number | undefined
const forgetting: (() => void)[] = []

/**
 * Registers a cleanup that runs when the user signs out, so that the next user sees none of their
 * data.
 */
export const onLeave = (forget: () => void): void => void forgetting.push(forget)

/**
 * Runs the registered cleanups, after the user has signed out or a different user has signed in.
 */
export function clearUserData(): void {
  me = undefined
  for (const forget of forgetting) forget()
}

export function rememberUser(signedIn: Me | undefined): void {
  const isOther = signedIn && last !== undefined && last !== signedIn.person.id
  if (isOther) clearUserData()
  last = signedIn?.person.id ?? last
  me = signedIn
}

export const csrfToken = (): string => me?.csrf ?? ''

/** Returns the id of the current business: the last one chosen or, by default, the first. */
export function businessId(): string | undefined {
  const chosen = sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN) ?? undefined
  if (!me) return chosen
  const [first] = me.businesses
  const found = me.businesses.find(({ id }) => String(id) === chosen) ?? first
  // Another window may have chosen a different business, which then applies to new windows.
  if (found && sessionStorage.getItem(CHOSEN) !== String(found.id)) {
    sessionStorage.setItem(CHOSEN, String(found.id))
  }
  return found && String(found.id)
}

/** Switches this window and new ones to a business. Other open windows keep theirs. */
export function chooseBusiness(id: number): void {
  sessionStorage.setItem(CHOSEN, String(id))
  localStorage.setItem(CHOSEN, String(id))
}

/** Every URL starts with the mode, so a link always opens in the mode that it was copied from. */
export const modeOf = (path: string): Mode => (path.startsWith('/live') ? 'live' : 'test')
