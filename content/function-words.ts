/**
 * The most frequent small words of languages: they tell relatives apart that a detector mixes up, and running text from
 * lists of names. Scripts that set no spaces between words have none.
 */

const lists: Readonly<Record<string, string>> = {
  af: `die en van het is nie in 'n wat vir te met om sy dat was as hy op aan sal deur word ook hulle elke`,
  am: `እና ነው ላይ ውስጥ ወደ ነበር ግን ወይም ይህ እንደ ጋር በኋላ ሁሉ መሆን`,
  ar: `في من على إلى أن التي عن مع هذا الذي هذه ما لا كان بين أو كل ذلك قد بعد لم كما`,
  az: `və bir bu ilə üçün də ki o olan da hər edilir olaraq malikdir sonra kimi onun çox görə daha`,
  be: `і ў на не з што як да па для гэта яго ад за ці быў але або мае яны таксама яе пры`,
  bg: `и на да се в от за с не е по са като че до ще това си при или има един която който`,
  bn: `এবং ও এই করে থেকে না একটি জন্য হয় তার করা সঙ্গে যে কোন এর প্রত্যেকের হবে এক মধ্যে`,
  br: `ha hag ar an ur da en e a eus gant evit pe ez eo war ket o he er hep pa gwir`,
  ca: `de la i a que el les en els per del un una amb és dels no al va es o com més l d seva`,
  cs: `a v na se je že s z o do k ve to jako za by pro i nebo jeho má byl jsou po při právo`,
  cy: `y yr yn a i o ei ar mae ac ni gan am neu wedi â bod er hawl gyda hyn eu ddim sydd`,
  da: `og i at er det en til af på som med for de den ikke har et der om eller fra var sig skal`,
  de: `der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch oder`,
  el: `και το να του η της με που την από για σε ο είναι τα οι των στο τον θα δεν κάθε στην`,
  en: `the of and to in a is that for it was on with as be by are this at have or from not an which`,
  eo: `la de kaj en al estas por kiu ke ne per aŭ kun ĉiu sia el ĝi kiel li tio estis rajtas pri`,
  es: `de la que el en y a los se del las un por con no una su para es al o lo como más`,
  et: `ja on ei et see ka kui oma või ta mis ning oli igal ega mida aga selle tema seda`,
  eu: `eta da ez du dute edo bat den izan ere dira egin zen hori behar eskubidea gizon nahiz ditu`,
  fa: `و در به از که این را با است برای آن یک خود تا بر می هر شود یا کرد شد`,
  fi: `ja on ei että oli se hän joka myös mutta ovat kuin tai sekä mukaan jokaisella ole sen niin`,
  fo: `og í at á er sum ikki til fyri við av ein eru tann ella hava hevur frá teir um sína tað`,
  fr: `de la le et les des en un une du que dans est pour qui par sur pas au il ne ou son à`,
  fy: `de en it fan yn is in dat te op mei foar net oan as hy om ek syn wurdt by út hat rjocht`,
  ga: `an na agus ar i a le go is ag do ní nó bhí chun aige leis atá sé don féin duine gach`,
  gd: `an na agus air a le do is ann gu a' tha aig bha ri no anns nan gach chan e mar bho`,
  gl: `de a que e o en do da os un unha as para con non por se no na dos é ou á máis`,
  gu: `અને છે આ માટે એક કે પણ તે હતી દરેક ના થી પર તેના કરી હોય`,
  ha: `da a na ta ne ya shi ba su cikin wani ko ga kuma wanda don yana ce suna yi ita wata`,
  he: `של את על לא הוא עם זה או כל היא כי גם אל אם אדם יש בין היה אשר אין`,
  hi: `के का में की है और से को पर इस कि हैं एक यह ने नहीं या भी लिए किया जो`,
  hr: `i u je na da se za su od s o ne ili koji kao što iz koja ima će po bi biti pravo nije svatko`,
  ht: `yo nan ak pou ki a la pa se li te sa moun gen yon oswa ka tout fè nou dwa chak`,
  hu: `a az és hogy nem is egy van ez meg de vagy volt minden el mint azt joga csak ki sem`,
  hy: `և է են որ ի մեջ եւ իր ու այդ համար չի իսկ ունի կամ նա այն մի հետ`,
  id: `yang dan di untuk dengan tidak dari dalam ini atau akan pada adalah itu oleh ke telah bisa karena bahwa saat hanya maupun seorang`,
  ig: `na nke ya bu bụ ndi ndị ma ka n a o i nwere onye ọ ga ihe maọbụ kwesiri`,
  is: `og að í á er sem til um við ekki fyrir það var með en eru af hann eða því skal`,
  it: `di e che la il in un a per è una del non sono con della si le i da al nel gli o`,
  jv: `lan ing kang sing iku saka karo ora utawa ana marang dadi kanthi bisa tumrap iki`,
  ka: `და არ რომ ეს ან მისი იყო უნდა მის აქვს თუ როგორც ყოველ იგი რომელიც ის`,
  kk: `және мен бұл бір үшін деп осы де да оның бар болып адам әр емес болады немесе құқығы ол`,
  kn: `ಮತ್ತು ಈ ಒಂದು ಅಥವಾ ಇದು ತನ್ನ ಎಂದು ಆ ಹಾಗೂ ಎಲ್ಲ ಎಲ್ಲಾ ಯಾವುದೇ`,
  ko: `이 그 및 수 있는 것을 있다 또는 모든 것은 한 것이다 등 대한 의하여 그의 것 더`,
  ku: `û ku di de bi ji li ne ev jî ya yê an her ye bo wî hemû xwe kes`,
  ky: `жана менен бул бир үчүн деп ал да эмес укугу ар бар болуп же өз киши анын керек`,
  la: `et in est non ad ut cum ex qui quae sed ab per si aut vel eius sunt quod omnes`,
  lb: `an de d' ass fir e vun dat op déi den net mat eng zu oder sech hat och huet um wat`,
  lt: `ir kad į iš su yra ar tai kaip buvo o jo už bei turi teisę ne taip jis dėl apie`,
  lv: `un ir no ar uz ka par kas lai vai tas gada bija nav arī kā ne tiesības viņa pie`,
  mg: `ny sy dia tsy ho ary ao amin fa na no ka manana zo izay olona rehetra mba eo`,
  mk: `на и во да се од за со е не ги го како што ќе или има при сѐ кој тоа до секој право`,
  ml: `ഒരു ഈ എന്ന ഇത് അല്ലെങ്കിൽ ആ കൂടി ഉണ്ട് എന്നാൽ പോലെ നിന്ന് എല്ലാ`,
  mn: `нь юм байна болон ба бол энэ хүн бүр эрхтэй эсвэл гэж тэр ч буюу байх байсан`,
  mr: `आणि व आहे या हे की तो तर आहेत ते एक किंवा त्या नाही असे त्याच्या हा`,
  ms: `yang dan di untuk dengan tidak dari dalam ini atau akan pada adalah itu oleh ke telah boleh kerana bahawa ialah daripada hendaklah`,
  mt: `u l li ta ta' il ma għal mill fil fuq huwa tal jew minn biex hija kull għandu hu jista`,
  ne: `र को मा छ यो हो पनि का लाई गर्न गरी भएको वा ले एक छन् हुने प्रत्येक हुनेछ`,
  nl: `de van het een en in is dat op te zijn met voor niet bij er aan ook door om hij als of`,
  nn: `og i ikkje er på som det til av ein med for dei å har frå eit den eller vere kvar ho`,
  no: `og i ikke er på som det til av en med for de å har fra et den eller være seg jeg om`,
  or: `ଏବଂ ଓ ଏହି ଏକ କରି ପାଇଁ ସହିତ ପରେ ଏହା କି ନାହିଁ`,
  pa: `ਦੇ ਦੀ ਵਿੱਚ ਹੈ ਅਤੇ ਦਾ ਨੂੰ ਨੇ ਤੋਂ ਇਹ ਇਸ ਤੇ ਹਰ ਜਾਂ ਕਿ ਹਨ ਲਈ`,
  pl: `w i na z się do nie że to o jest jak a po od za przez ma dla być lub są jego oraz`,
  ps: `د په او چې کې له یې دی ته سره نه هر ده شي څوک دا یا څخه لري حق`,
  pt: `de a que e o do da em os um para com não uma as se no na por dos é ou à mais`,
  ro: `de și în a la nu o cu din care pe un să este că pentru mai sau se fi prin sunt ale`,
  ru: `и в не на что с по он как это к но из у за от для его или то было так имеет`,
  rw: `mu ku na n kandi cyangwa no ya ko ni bya kugira umuntu wese y ari buri muri`,
  sk: `a v na sa je že s z o do k vo to ako za by pre aj alebo má bol sú po pri jeho právo`,
  sl: `in je v na za se da so s z ki ne po pa kot ali to tudi o ima do od pravico bi`,
  so: `oo ka iyo ay in uu u ku waxa la ama waa ah kasta leh aan si xaq qof waxaa soo`,
  sq: `të e në dhe i për një me nga që është nuk si ka më se ose do këtë çdo`,
  sr: `и је у на да се за су од са о не или који као што има би то из сваки i u je na da se za su od sa o ne ili koji kao što ima bi`,
  su: `anu jeung di ka nu dina ku kana teu atawa ieu keur boga tina sarta éta kudu`,
  sv: `och i att det som en på är av för med till den har de inte om ett han var eller från sig`,
  sw: `na ya wa kwa ni katika la za kila cha yake au hii kama kuwa mtu haki ana hiyo zake yoyote`,
  ta: `ஒரு மற்றும் அல்லது என்று இந்த என அந்த எந்த ஆகிய உள்ள தமது ஒவ்வொரு`,
  te: `మరియు ఈ ఒక లేదా కూడా అని ఆ తన తమ ఏ ప్రతి నుండి`,
  tg: `ва дар ки аз ба ин бо барои ҳар ё дорад бояд аст ҳуқуқ худ вай то он`,
  ti: `ናይ እዩ ድማ ካብ ወይ ከኣ እቲ ኣብ ዘለዎ መሰል ነቲ ሰብ`,
  tk: `we bir bilen bu üçin hem ýa da her ol öz bolan hukugy bar hakyky diýip`,
  tl: `ng sa ang na at mga ay ni ito para o may hindi kung isang bawat nang`,
  tr: `ve bir bu için ile de da olarak her olan veya gibi daha çok en ya hakkı ne kadar ise`,
  tt: `һәм белән бу бер өчен дә да ул булган да һәр үз яки хокукы дип аның`,
  uk: `і в на не з що у та до за як це від його для є або про але має при так й`,
  ur: `کے میں کی ہے اور سے کا کو اس کہ ہیں پر نے یہ ایک بھی نہیں یا جو کسی`,
  uz: `va bu bilan uchun bir ham yoki har bo'lgan o'z u esa deb kerak lozim huquqiga shu ega`,
  vi: `của và các có được là trong cho không một người với về những này đã quyền để mọi hay`,
  xh: `ukuba okanye kunye xa kwaye ukuze into umntu unelungelo ngokuba ngayo le kule kodwa yonke`,
  yi: `די און פֿון צו אין דער איז אַ נישט מיט דאָס אױף אַז פֿאַר װאָס זײַן האָט`,
  yo: `ní àti ti sí tí pé fún láti wà kan ló lè náà gbogbo ó ń kò bá`,
  zu: `ukuthi futhi noma kanye uma ukuze ukuba umuntu unelungelo kumele ngoba kodwa lokhu lapho yonke`,
};

const sets = new Map<string, ReadonlySet<string>>(
  Object.entries(lists).map(([language, list]) => [language, new Set(list.split(' '))]),
);

/** @returns undefined: the words of the language are not known here */
export const functionWords = (language: string): ReadonlySet<string> | undefined => sets.get(language);

const languagesOf = new Map<string, string[]>();
for (const [language, list] of sets) {
  for (const word of list) {
    const known = languagesOf.get(word);
    if (known === undefined) languagesOf.set(word, [language]);
    else known.push(language);
  }
}

export interface Votes {
  /** Of the text. */
  readonly words: number;
  /** How many of them are function words, by language. */
  readonly of: ReadonlyMap<string, number>;
}

/** Letters with their marks, and the apostrophe within or after them, which belongs to words such as `bo'lgan`. */
const word = /'n(?!\p{L})|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]*)?/gu;

export function votesOf(text: string): Votes {
  const of = new Map<string, number>();
  const words =
    text
      .toLowerCase()
      .replace(/[’ʻ‘ʼ]/g, "'")
      .match(word) ?? [];
  for (const found of words) {
    for (const language of languagesOf.get(found) ?? []) of.set(language, (of.get(language) ?? 0) + 1);
  }
  return { words: words.length, of };
}
