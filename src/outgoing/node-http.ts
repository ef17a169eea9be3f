/**
 * `node:http` and `node:https` as `require` gives them. An import from either makes Node look at
 * each of its exports, one of which loads the whole of `fetch`: 14 MB of an idle server.
 */
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')
