// Medusa's defaults: no Redis, and in-memory events, cache and workflows. Without the dashboard, as
// for Vendure.

const { defineConfig } = require('@medusajs/framework/utils')

const { DATABASE_URL, PASSWORD } = process.env
const cors = 'http://127.0.0.1'

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: cors,
      adminCors: cors,
      authCors: cors,
      jwtSecret: PASSWORD,
      cookieSecret: PASSWORD,
    },
  },
})
