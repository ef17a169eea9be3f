/** Invoices of one shop. */
export const ROWS = { most: 1_000_000, default: 1_000 } as const

/** Seeds are whole numbers from 0. */
export const SEED_MAX = 2 ** 32 - 1
