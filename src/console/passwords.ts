import { invalid, Problem } from '../lib/problem.ts'

// Loaded when somebody first signs in: an API that nobody looks at does without.
const argon2 = () => import('@node-rs/argon2')

/** OWASP's least for argon2id: 18 ms of one core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const LENGTH_MIN = 12
const LENGTH_MAX = 128

/** Of those that are long enough, what is tried first (lists of leaked passwords, 2026). */
const COMMON = [
  '123456789012',
  '1234567890123',
  '12345678901234',
  '1q2w3e4r5t6y',
  'abcdefghijkl',
  'administrator',
  'iloveyou1234',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'qwerty123456',
  'qwertyuiop12',
  'qwertyuiop123',
  'qwertyuiopas',
  'qwertyuiopasdf',
  'tradepost123',
  'tradepost1234',
  'welcome12345',
]

/** One way of writing it, whatever the keyboard sent. */
const normal = (password: string) => password.normalize('NFKC')

/**
 * Refuses what is too short, too long or soon guessed: throws 400 naming `field`. `about` is what
 * others know of the person.
 */
export function checkPassword(password: string, about: readonly string[], field = 'password') {
  const text = normal(password)
  const length = [...text].length
  if (length < LENGTH_MIN)
    throw invalid({ [field]: [`must have at least ${LENGTH_MIN} characters`] })
  if (length > LENGTH_MAX)
    throw invalid({ [field]: [`must have at most ${LENGTH_MAX} characters`] })
  const lower = text.toLowerCase()
  const isKnown = about.some((one) => one.length > 3 && lower.includes(one.toLowerCase()))
  const isPlain = new Set(lower).size < 5 || COMMON.includes(lower)
  if (isKnown || isPlain) throw invalid({ [field]: ['is too easy to guess'] })
}

export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => (await argon2()).hash(normal(password), COST))

/** Of nobody: checking it takes as long as checking a real one. */
let nobody: Promise<string> | undefined

/** Whether the password is theirs; as much work when there is nobody. */
export async function isPassword(kept: string | undefined, password: string): Promise<boolean> {
  nobody ??= hashPassword('nobody has this password')
  const against = kept ?? (await nobody)
  const isRight = await inTurn(async () => (await argon2()).verify(against, normal(password)))
  return kept !== undefined && isRight
}

/** Two at a time: people who sign in must not keep two cores from everybody else. */
const AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []
/** Behind so many one would wait longer than anybody does. */
const WAITING_MAX = 100

/** Throws 429 while very many sign in, before a try is counted. */
export function refuseCrowd(): void {
  if (waiting.length < WAITING_MAX) return
  const message = 'Very many sign in just now: try again in a moment.'
  throw new Problem('rate_limited', 'rate_limited', message, { retryAfterSeconds: 5 })
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}
