import { NumberInput, Select } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { SplitPage, Subaccount } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t } from '../../texts/splits.ts'

interface Values extends Record<string, unknown> {
  subaccount: string | null
  share: number | string
}

/** Gives a subaccount a share of a page; one that has a share gets the new one. */
export function ShareForm({
  of: page,
  opened,
  onClose,
}: {
  of: SplitPage
  opened: boolean
  onClose(): void
}) {
  return (
    <FormModal<Values>
      title={t.shareWithASubaccount}
      opened={opened}
      onClose={onClose}
      initial={{ subaccount: null, share: '' }}
      action={{
        path: `transaction-service/split-page/${page.id}/subaccount/add`,
        send: ({ subaccount, share }) => ({ sub_account_id: subaccount, shere: Number(share) }),
        done: t.newPaymentsAreSharedThis,
      }}
      validate={{
        subaccount: (code) => (code ? null : t.chooseTheSubaccount),
        share: (share) =>
          Number(share) >= 1 && Number.isInteger(Number(share)) ? null : t.aWholeNumber1Or,
      }}
      verb={t.share}
    >
      {(form) => <Fields form={form} page={page} />}
    </FormModal>
  )
}

function Fields({ form, page }: { form: UseFormReturnType<Values>; page: SplitPage }) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  const { data } = useRead<Envelope<Subaccount[]>>('transaction-service/subaccounts/all', {
    page: 1,
    limit: 50,
    sort: 'asc',
    sortKey: 'business_name',
    searchString: asked,
  })
  const options = (data?.data ?? [])
    .filter(({ status, currency }) => status === 'Active' && currency === page.currency)
    .map((one) => ({ value: one.subaccount_code, label: one.business_name }))
  return (
    <>
      <Select
        label={t.subaccount}
        placeholder={t.typeAPartOfIts}
        data={options}
        searchable
        // The server looks among all of them, not among those that are here.
        filter={({ options: found }) => found}
        onSearchChange={setText}
        nothingFoundMessage={t.noActiveSubaccountOfThat}
        required
        data-autofocus
        {...form.getInputProps('subaccount')}
      />
      {page.splitType === 'fixed' ? (
        <MoneyInput
          label={t.shareOfEachPayment}
          description={t.inWholeNaira}
          currency={page.currency}
          decimalScale={0}
          required
          {...form.getInputProps('share')}
        />
      ) : (
        <NumberInput
          label={t.shareOfEachPayment}
          description={t.inWholePercentIsNot(100 - page.totalShare)}
          suffix="%"
          min={1}
          max={100}
          allowDecimal={false}
          hideControls
          required
          {...form.getInputProps('share')}
        />
      )}
    </>
  )
}
