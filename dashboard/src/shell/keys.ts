/** Where the key beside the space bar is Command. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
