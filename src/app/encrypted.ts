import { redirectSecrets } from '../business/account/redirect-secret.ts'
import { settlementAccountNumbers } from '../business/account/settlement-account.ts'
import { personSecrets } from '../business/people/secrets.ts'
import { webhookSecrets } from '../developers/webhooks/secrets.ts'
import type { EncryptedColumn } from '../encryption/columns.ts'
import { emailLinks } from '../mail/links.ts'
import { settlementNumbers } from '../money/settlements/numbers.ts'
import { subaccountNumbers } from '../money/subaccounts/numbers.ts'
import { transferNumbers } from '../money/transfers/numbers.ts'
import { providerCredentials } from '../providers/credentials.ts'
import { noticeBodies } from '../providers/inbox/bodies.ts'

/** Every column with encrypted values. */
export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  ...personSecrets,
  ...webhookSecrets,
  redirectSecrets,
  emailLinks,
  noticeBodies,
  settlementAccountNumbers,
  transferNumbers,
  subaccountNumbers,
  settlementNumbers,
  providerCredentials,
]
