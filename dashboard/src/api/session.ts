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
  /** Its people need a second factor. */
  requiresTwoFactor: boolean
}

/** Who is signed in, as `/console/me` says. */
export interface Me {
  person: {
    id: number
    name: string
    email: string
    /** A link that was mailed to it was used. */
    emailProved: boolean
    /** An authenticator app is set up. */
    twoFactor: boolean
    /** Of this person there is a passkey, on whatever device. */
    passkey: boolean
    /** This session has more behind it than the password: the app, or a passkey. */
    secondFactor: boolean
  }
  businesses: Business[]
  /** Sent back with all that changes something. */
  csrf: string
  /** What the role in the chosen business allows in `mode`, as scopes of the API: `invoices:write`. */
  scopes: string[]
  mode: Mode
  /** Live keys and channels exist only where a provider is configured. */
  liveReady: boolean
}

const CHOSEN = 'tradepost.business'

let me: Me | undefined
/** Who was here last, also while nobody is signed in. */
let last: number | undefined
const forgetting: (() => void)[] = []

/** What is to be done so that nothing of whoever was here is left to who comes next. */
export const whenLeft = (forget: () => void): void => void forgetting.push(forget)

/** They signed out, or are no longer the one who is here. */
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

/** The business in view: the one chosen last, else the first. */
export function businessId(): string | undefined {
  const chosen = sessionStorage.getItem(CHOSEN) ?? localStorage.getItem(CHOSEN) ?? undefined
  if (!me) return chosen
  const [first] = me.businesses
  const found = me.businesses.find(({ id }) => String(id) === chosen) ?? first
  // Another window may choose another one for windows to come.
  if (found && sessionStorage.getItem(CHOSEN) !== String(found.id)) {
    sessionStorage.setItem(CHOSEN, String(found.id))
  }
  return found && String(found.id)
}

/** Here, and in windows that are opened from now on; the others stay where they are. */
export function chooseBusiness(id: number): void {
  sessionStorage.setItem(CHOSEN, String(id))
  localStorage.setItem(CHOSEN, String(id))
}

/** Test or live stands at the beginning of each address, so that a link leads to the same. */
export const modeOf = (path: string): Mode => (path.startsWith('/live') ? 'live' : 'test')
