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
  /** Its members must use two-factor authentication. */
  requiresTwoFactor: boolean
}

/** The signed-in user, as returned by `/console/me`. */
export interface Me {
  person: {
    id: number
    name: string
    email: string
    /** The user has opened a link sent to the email address. */
    emailProved: boolean
    /** The user has set up an authenticator app. */
    twoFactor: boolean
    /** The user has a passkey on some device. */
    passkey: boolean
    /** This session used more than the password: the authenticator app or a passkey. */
    secondFactor: boolean
  }
  businesses: Business[]
  /** Sent with every request that changes something. */
  csrf: string
  /**
   * What the role in the current business allows in `mode`, as API scopes such as `invoices:write`.
   */
  scopes: string[]
  mode: Mode
  /** Live keys and channels exist only if a provider is connected. */
  liveReady: boolean
}

const CHOSEN = 'tradepost.business'

let me: Me | undefined
/** The last user, remembered even while nobody is signed in. */
let last: number | undefined
const forgetting: (() => void)[] = []

/**
 * Registers a clean-up that runs when the user leaves, so that nothing remains for the next one.
 */
export const whenLeft = (forget: () => void): void => void forgetting.push(forget)

/** Cleans up after the user signed out or changed. */
export function forgetPerson(): void {
  me = undefined
  for (const forget of forgetting) forget()
}

export function remember(signedIn: Me | undefined): void {
  const isOther = signedIn && last !== undefined && last !== signedIn.person.id
  if (isOther) forgetPerson()
  last = signedIn?.person.id ?? last
  me = signedIn
}

export const csrfToken = (): string => me?.csrf ?? ''

/** The current business: the last one chosen, or else the first. */
export function businessId(): string | undefined {
  const chosen = sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN) ?? undefined
  if (!me) return chosen
  const [first] = me.businesses
  const found = me.businesses.find(({ id }) => String(id) === chosen) ?? first
  // Another window may choose another business for future windows.
  if (found && sessionStorage.getItem(CHOSEN) !== String(found.id)) {
    sessionStorage.setItem(CHOSEN, String(found.id))
  }
  return found && String(found.id)
}

/** Applies to this window and future ones; other open windows keep their business. */
export function chooseBusiness(id: number): void {
  sessionStorage.setItem(CHOSEN, String(id))
  localStorage.setItem(CHOSEN, String(id))
}

/** Every URL starts with the mode, so a link opens in the same mode. */
export const modeOf = (path: string): Mode => (path.startsWith('/live') ? 'live' : 'test')
