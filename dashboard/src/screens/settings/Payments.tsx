import { Radio, Skeleton, Stack, Text } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Failure } from '../../parts/states.tsx'
import { channelName } from '../../parts/values.tsx'
import { SETTINGS } from './Business.tsx'
import { Part, SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'
import { BEARERS, POLICIES } from './texts.ts'

export function Payments({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <Fees />
      <SettingForm
        id="fee-bearer"
        title="Who bears the fee"
        about="Payment pages and split pages may say otherwise for themselves."
        values={{ feeBearer: rules.feeBearer }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: (values): UpdateProfileSettingsInput => ({
            feeBearer: values.feeBearer as 'business',
          }),
          done: 'Who bears the fee is stored.',
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <Radio.Group aria-label="Who bears the fee" {...form.getInputProps('feeBearer')}>
            <Choices of={BEARERS} />
          </Radio.Group>
        )}
      </SettingForm>
      <SettingForm
        id="virtual-accounts"
        title="When the amount is not exact"
        about="Somebody sends more or less to a virtual account than was asked for."
        values={{ virtualAccountPolicy: rules.virtualAccountPolicy }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: (values): UpdateProfileSettingsInput => ({
            virtualAccountPolicy: values.virtualAccountPolicy as 'exact',
          }),
          done: 'The rule is stored.',
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <Radio.Group
            aria-label="When the amount is not exact"
            {...form.getInputProps('virtualAccountPolicy')}
          >
            <Choices of={POLICIES} />
          </Radio.Group>
        )}
      </SettingForm>
    </>
  )
}

const Choices = ({ of }: { of: typeof BEARERS }) => (
  <Stack gap="sm">
    {of.map((one) => (
      <Radio key={one.value} {...one} />
    ))}
  </Stack>
)

interface FeesSaid {
  isDefault: boolean
  channels: { channel: string; words: string; isOwn: boolean }[]
  transfers: string[]
}

/** What the operator takes, in words. */
function Fees() {
  const { data, error, isPending, refetch } = useRead<Envelope<FeesSaid>>('/console/fees')
  const fees = data?.data
  const agreed = fees?.isDefault === false ? 'Agreed with your business.' : 'As for every business.'
  return (
    <Part id="fees" title="Fees" about={`Set by whoever runs this server. ${fees ? agreed : ''}`}>
      {isPending && <Skeleton height={188} />}
      {error && <Failure error={error} again={() => void refetch()} />}
      {fees && (
        <div className="fees">
          <table>
            <caption>For each payment that succeeds</caption>
            <tbody>
              {fees.channels.map(({ channel, words }) => (
                <tr key={channel}>
                  <th scope="row">{channelName(channel)}</th>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <table>
            <caption>For each transfer, on top of its amount</caption>
            <tbody>
              {fees.transfers.map((words) => (
                <tr key={words}>
                  <td>{words}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {fees && (
        <Text size="sm" c="dimmed" mt="sm">
          In other currencies than the naira the percentage is taken alone.
        </Text>
      )}
    </Part>
  )
}
