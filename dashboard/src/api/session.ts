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
  /** Whether the business's members must use two-factor authentication. */
  requiresTwoFactor: boolean
}

/** The signed-in user, as returned by `/console/me`. */
export interface Me {
  person: {
    id: number
    name: string
    email: string
    /** Whether the user has opened a link sent to their email address. */
    emailProved: boolean
    /** Whether the user has set up an authenticator app. */
    twoFactor: boolean
    /** Whether the user has a passkey on any device. */
    passkey: boolean
    /**
     * Whether the user signed in to this session with more than a password: an authenticator app or
     * a passkey.
     */
    secondFactor: boolean
  }
  businesses: Business[]
  /** The token sent with every request that changes something. */
  csrf: string
  /**
   * What the user's role in the current business allows in `mode`, as API scopes such as
   * `invoices:write`.
   */
  scopes: string[]
  mode: Mode
  /** Live keys and channels exist only if a provider is connected. */
  liveReady: boolean
}

const CHOSEN = 'tradepost.business'

let me: Me | undefined
/** The last user who signed in. Remembered even while nobody is signed in. */
let last: number | undefined
const forgetting: (() => void)[] = []

/**
 * Registers a cleanup that runs when the user leaves, so that nothing is left for the next user.
 */
export const onLeave = (forget: () => void): void => void forgetting.push(forget)

/** Cleans up after the user has signed out or a different user has signed in. */
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

/** Returns the current business: the last one chosen, or else the first. */
export function businessId(): string | undefined {
  const chosen = sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN) ?? undefined
  if (!me) return chosen
  const [first] = me.businesses
  const found = me.businesses.find(({ id }) => String(id) === chosen) ?? first
  // Another window may have chosen a different business for future windows.
  if (found && sessionStorage.getItem(CHOSEN) !== String(found.id)) {
    sessionStorage.setItem(CHOSEN, String(found.id))
  }
  return found && String(found.id)
}

/** Switches this window and future ones to a business. Other open windows stay on theirs. */
export function chooseBusiness(id: number): void {
  sessionStorage.setItem(CHOSEN, String(id))
  localStorage.setItem(CHOSEN, String(id))
}

/** Every URL starts with the mode, so a link opens in the same mode. */
export const modeOf = (path: string): Mode => (path.startsWith('/live') ? 'live' : 'test')
