/** A key as `/console/keys` shows it; `key` itself only when it was just made. */
export interface KeyRecord {
  id: number
  reference: string
  status: string
  mode: string
  type: 'secret' | 'public'
  label: string | null
  hint: string
  scopes: string[] | null
  allowedIps: string[]
  expiresAt: string | null
  lastUsedAt: string | null
  browserSeenAt: string | null
  createdAt: string
}

export interface MadeKey extends KeyRecord {
  key: string
}
