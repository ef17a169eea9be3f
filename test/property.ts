import fc from 'fast-check'

/**
 * Random tests draw the same values in every run. In CI each run draws others; a failure prints its
 * seed, and `SEED=… npm test` draws the same values again.
 */
const drawn = process.env.CI ? Date.now() % 2 ** 31 : 20_261_122
fc.configureGlobal({ seed: Number(process.env.SEED ?? drawn) })

export { fc }
