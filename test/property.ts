import fc from 'fast-check'

/**
 * Property tests draw the same values in every run, except in CI. A failure prints its seed, and
 * `SEED=… npm test` repeats it.
 */
const drawn = process.env.CI ? Date.now() % 2 ** 31 : 20_261_122
fc.configureGlobal({ seed: Number(process.env.SEED ?? drawn) })

export { fc }
