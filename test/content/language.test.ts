import { beforeAll, describe, expect, it } from 'vitest';
import { type LanguageTeller, loadLanguageTeller } from '../../content/language.ts';
import { countWords } from '../../content/words.ts';

let tell: LanguageTeller;
beforeAll(async () => {
  tell = await loadLanguageTeller();
});

let sites = 0;
const ask = (text: string, declared: string | null = null, site = `https://${String(sites++)}.example`) =>
  tell({ text, words: countWords(text), declared, site });

const paragraphs: Readonly<Record<string, string>> = {
  en: 'The council decided on Monday to repair the old bridge before winter, although several members would rather have built a new one further down the river.',
  de: 'Der Stadtrat beschloss am Montag, die alte Brücke noch vor dem Winter zu reparieren, obwohl mehrere Mitglieder lieber eine neue weiter flussabwärts gebaut hätten.',
  fr: "Le conseil a décidé lundi de réparer le vieux pont avant l'hiver, bien que plusieurs membres eussent préféré en construire un nouveau plus loin sur la rivière.",
  es: 'El ayuntamiento decidió el lunes reparar el viejo puente antes del invierno, aunque varios miembros habrían preferido construir uno nuevo más abajo en el río.',
  it: 'Il consiglio ha deciso lunedì di riparare il vecchio ponte prima dell’inverno, anche se diversi membri avrebbero preferito costruirne uno nuovo più a valle del fiume.',
  pl: 'Rada postanowiła w poniedziałek naprawić stary most przed zimą, choć kilku członków wolałoby zbudować nowy nieco dalej w dół rzeki, bliżej miasta i nowej drogi.',
  ru: 'Совет решил в понедельник отремонтировать старый мост до наступления зимы, хотя несколько членов предпочли бы построить новый ниже по течению реки, ближе к городу и вокзалу.',
  ja: '市議会は月曜日、冬が来る前に古い橋を修理することを決めた。ただし数人の議員は川のもっと下流に新しい橋を建てるほうがよいと考えていた。',
  zh: '市议会星期一决定在冬天到来之前修复旧桥，尽管有几位议员更希望在河流下游再建一座新桥，离火车站更近一些。',
  ar: 'قرر المجلس يوم الاثنين إصلاح الجسر القديم قبل حلول فصل الشتاء، على الرغم من أن عددا من الأعضاء كانوا يفضلون بناء جسر جديد في مكان أبعد من مجرى النهر قرب المحطة.',
};

/** By what is left of them where the letters are those of a relative. */
const unknownToLetters: Readonly<Record<string, string>> = {
  id: 'Dewan kota memutuskan pada hari Senin untuk memperbaiki jembatan tua itu sebelum musim hujan, karena bagian bawahnya rusak, walaupun beberapa anggota lebih suka yang baru.',
  af: 'Die raad het Maandag besluit om die ou brug voor die winter te herstel, hoewel verskeie lede eerder ’n nuwe een verder af met die rivier sou wou bou, nader aan die stasie.',
  gl: 'O concello decidiu o luns reparar a vella ponte antes do inverno, aínda que varios membros preferirían construír unha nova máis abaixo no río, e así o dixeron na sesión.',
  mk: 'Советот во понеделникот одлучи да го поправи стариот мост пред зимата, иако неколку членови повеќе би сакале да се изгради нов подолу по реката, што ќе биде поблиску до станицата.',
  kk: 'Кеңес дүйсенбі күні ескі көпірді қысқа дейін жөндеу керек деп шешті, бірақ бірнеше мүше өзен бойымен төмен жаңа көпір салу үшін дауыс берді және бұл туралы ашық айтты.',
  mn: 'Зөвлөл даваа гарагт хуучин гүүрийг өвлөөс өмнө засах шийдвэр гаргасан боловч хэд хэдэн гишүүн гол уруудан шинэ гүүр барих нь дээр гэж үзэж байсан бөгөөд энэ тухай хэлсэн юм.',
  ne: 'परिषद्ले सोमबार पुरानो पुल जाडो अघि मर्मत गर्ने निर्णय गरेको छ यो पुल धेरै पुरानो भएको हो र सदस्यहरूले नयाँ पुल बनाउनु पनि राम्रो हो भने ।',
  sw: 'Baraza liliamua siku ya Jumatatu kukarabati daraja la zamani kabla ya mvua, ingawa wajumbe kadhaa wa baraza hilo walitaka kujenga jipya katika sehemu ya chini ya mto kwa ajili ya watu wote.',
  cy: 'Penderfynodd y cyngor ddydd Llun atgyweirio yr hen bont cyn y gaeaf, er bod nifer o aelodau am adeiladu un newydd ymhellach i lawr yr afon, yn nes at y dref ac at yr orsaf.',
  km: 'ក្រុមប្រឹក្សាបានសម្រេចនៅថ្ងៃចន្ទថានឹងជួសជុលស្ពានចាស់មុនរដូវវស្សា ទោះបីជាសមាជិកមួយចំនួនចង់សាងសង់ស្ពានថ្មីក៏ដោយ។',
  my: 'မြို့တော်ကောင်စီသည် တနင်္လာနေ့တွင် တံတားဟောင်းကို မိုးရာသီမတိုင်မီ ပြုပြင်ရန် ဆုံးဖြတ်ခဲ့သည်။ အဖွဲ့ဝင်အချို့က တံတားအသစ်ကို လိုလားကြသည်။',
  si: 'පැරණි පාලම ශීත ඍතුවට පෙර අලුත්වැඩියා කිරීමට සභාව සඳුදා තීරණය කළ අතර සාමාජිකයන් කිහිප දෙනෙකු නව පාලමක් ඉදිකිරීමට කැමති විය.',
};

describe('language', () => {
  it.each(Object.entries(paragraphs))('tells %s', (language, text) => {
    expect(ask(text)).toBe(language);
  });

  it('believes the text before the declaration', () => {
    expect(ask(paragraphs['de'] ?? '', 'en')).toBe('de');
  });

  it.each(Object.entries(unknownToLetters))(
    'tells %s, which letters alone mix up with others, declared or not',
    (language, text) => {
      expect(ask(text, language)).toBe(language);
      expect(ask(text)).toBe(language);
      expect(ask(text, 'en')).toBe(language);
    },
  );

  it('believes the declaration between standards of one language', () => {
    const text =
      'Vijeće je u ponedjeljak odlučilo da se stari most popravi prije zime, iako bi više članova radije izgradilo novi, nešto dalje niz rijeku.';
    for (const language of ['hr', 'bs', 'sr']) expect(ask(text, language)).toBe(language);
    expect(ask(text, 'en')).toBe('hr');
    const norwegian =
      'Kommunestyret vedtok på mandag å reparere den gamle broen før vinteren, selv om flere av medlemmene heller ville ha bygget en ny lenger ned ved elven.';
    expect(ask(norwegian, 'nb')).toBe('nb');
    expect(ask(norwegian)).toBe('no');
  });

  it('believes the declaration of a language of which it knows nothing, unless the script or nearly all speaks against it', () => {
    const corsican =
      'U cunsigliu hà decisu luni di riparà u vechju ponte prima di l’inguernu, ancu s’è parechji membri avianu preferitu custruisce ne unu novu più in ghjò nant’à u fiume.';
    expect(ask(corsican, 'co')).toBe('co');
    expect(ask(paragraphs['en'] ?? '', 'co')).toBe('en');
    expect(ask(paragraphs['ru'] ?? '', 'co')).toBe('ru');
  });

  it('passes over the start of long texts, where menus are', () => {
    const menu = 'Home Products About us Contact Imprint Privacy Login Register Search Help '.repeat(2);
    expect(ask(`${menu}\n${(paragraphs['pl'] ?? '').repeat(6)}`)).toBe('pl');
  });

  it('takes the declaration for texts too short to tell', () => {
    expect(ask('Kontakt', 'de-AT')).toBe('de');
    expect(ask('', 'en_US')).toBe('en');
    expect(ask('Kontakt')).toBeNull();
  });

  it('takes the declaration where letters tell nothing', () => {
    const codes =
      'XK-4482 9931 ZZ8 QP11 77X K9K9 0042 B7 C9 X99 P12 Q55 L0 K77 ZX81 4090 13700K 6000 32 2 M2 16 850 80 1700';
    expect(ask(codes, 'nl')).toBe('nl');
    expect(ask(codes)).toBeNull();
  });

  it('does not choose between two languages that the text has both of', () => {
    const both =
      'The council decided on Monday to repair the old bridge before winter ' +
      'Der Stadtrat beschloss am Montag die alte Brücke noch vor dem';
    expect(ask(both, 'en')).toBe('en');
    expect(ask(both)).toBeNull();
  });

  it.each([
    ['eng', 'en'],
    ['iw', 'he'],
    [' PT-br ', 'pt'],
    ['zh-Hant-TW', 'zh'],
    ['xx', null],
    ['gsw', null],
    ['x-default', null],
    ['english please', null],
    ['', null],
    ['\0', null],
  ])('declaration %j is %j', (declared, language) => {
    expect(ask('short', declared)).toBe(language);
  });
});

describe('a declaration that proved right', () => {
  const english = paragraphs['en'] ?? '';
  const french = paragraphs['fr'] ?? '';

  it('is believed after eight pages in a row, until a page that is checked has another language', () => {
    const site = 'https://trusted.example';
    const told = [...Array<string>(8).fill(english), ...Array<string>(9).fill(french)].map((text) =>
      ask(text, 'en', site),
    );
    // The ninth page is checked at once, the eight after a failed check are detected again.
    expect(told.slice(0, 8)).toEqual(Array<string>(8).fill('en'));
    expect(told.slice(8)).toEqual(Array<string>(9).fill('fr'));
  });

  it('is checked half as often each time the pages double, down to one in 64', () => {
    const checked = Array.from({ length: 321 }, (_, pages) => pages).filter((pages) => {
      const site = `https://after-${String(pages)}.example`;
      for (let page = 0; page < pages; page++) ask(english, 'en', site);
      return ask(french, 'en', site) === 'fr';
    });
    expect(checked).toEqual([...Array(8).keys(), 8, 16, 32, 64, 128, 192, 256, 320]);
  });

  it('holds between two checks', () => {
    const site = 'https://between.example';
    for (let page = 0; page < 9; page++) ask(english, 'en', site);
    expect(ask(french, 'en', site)).toBe('en');
    expect(ask(french, 'de', site)).toBe('fr');
  });
});
