import { settlementAccountNumbers } from '../business/account/payout-schedule.ts'
import { redirectSecrets } from '../business/account/service.ts'
import { personSecrets } from '../business/people/two-factor.ts'
import { webhookSecrets } from '../developers/webhooks/send.ts'
import type { EncryptedColumn } from '../encryption/columns.ts'
import { emailLinks } from '../mail/email.ts'
import { settlementNumbers } from '../money/settlements/record.ts'
import { subaccountNumbers } from '../money/subaccounts/record.ts'
import { transferNumbers } from '../money/transfers/record.ts'
import { providerCredentials } from '../providers/credentials.ts'
import { noticeBodies } from '../providers/inbox/inbox.ts'

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
