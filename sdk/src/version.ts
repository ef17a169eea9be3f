/** The same version as in package.json. A test checks that they match. */
export const VERSION = '0.1.0'
