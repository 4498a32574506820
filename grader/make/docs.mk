# SPDX-License-Identifier: Apache-2.0
# Slides, the handbook, and what is handed out or uploaded.

##@ Slides and handbook

# Nothing on a slide is pasted: code comes from labs/ and solutions/ (include.lua),
# figures and reports from runs of the virtual machine.
SLIDES := build/slides
DECKS := $(sort $(wildcard slides/[0-9]*.md))
DECK_PAGES := $(DECKS:%.md=build/%.html)
HANDOUTS := $(DECK_PAGES:%.html=%.pdf)
FIGURES := $(patsubst %.fig,build/%.svg,$(wildcard slides/figures/*.fig)) \
	$(addprefix $(SLIDES)/,$(sort $(if $(DECKS),$(shell grep -oh 'explained/[a-z-]*\.svg' $(DECKS)))))
REPORTS := $(sort $(if $(DECKS),$(shell \
	grep -oh '$(SLIDES)/reports/[^"]*\.txt' $(DECKS))))
REVEAL := $(SLIDES)/reveal.js
MACHINE_PAGE := $(SLIDES)/machine.html
# Figures of the slides that pages of docs/ show.
DOCS_FIGURES := $(addprefix build/,$(sort $(shell grep -oh 'slides/figures/[a-z0-9-]*\.svg' docs/*.md)))

.PHONY: slides
slides: $(DECK_PAGES) $(MACHINE_PAGE) $(if $(SOME),$(call some,3,$(HANDOUTS)),$(SLIDES)/index.html) ## make the decks, build/slides/index.html, and a handout of each [SOME=1: a third of the handouts, and no index]

.PHONY: check-slides
check-slides: $(DECK_PAGES) $(CLCLAB) $(MACHINE_PAGE) ## check in Chromium that each slide fits, and that reports as HTML and the page of the mbarrier work [SHOTS=folder for pictures] [SOME=1: a third of the decks]
	@grader/tools/page-check $(if $(SHOTS),--shots $(SHOTS)) $(CLCLAB) $(MACHINE_PAGE)
	@grader/tools/slides-check $(if $(SHOTS),--shots $(SHOTS)) $(call some,3,$(DECK_PAGES))

PANDOC_SLIDES = pandoc --from markdown --standalone -M lang=en \
	-M author="CLC Labs" -M pictures=$(SLIDES) \
	-M include-deps=$(@:.html=.d) -M include-target=$@ \
	-L grader/tools/pandoc/include.lua -L grader/tools/pandoc/slides.lua
DECK_SOURCES := $(wildcard slides/*.css grader/tools/pandoc/*.lua) $(FIGURES)

# Colours mean the same as in a report: its first rule, which names them, comes first.
$(SLIDES)/%.css: slides/%.css grader/report/page.css
	$(Q)mkdir -p $(@D) && { sed '/^}/q' grader/report/page.css && cat $<; } >$@

$(SLIDES)/%.html: slides/%.md $(DECK_SOURCES) $(SLIDES)/theme.css | $(REPORTS) $(REVEAL)
	$(SAY) "  DECK  $@"
	$(Q)$(PANDOC_SLIDES) --to revealjs --slide-level=2 --css theme.css \
	    -V revealjs-url=reveal.js -V theme=white -V width=1280 -V height=720 \
	    -V margin=0.05 -V center=false -V controls=false -V slideNumber=true -V hash=true \
	    -V transition=none --output $@ $<

# The same for paper: one page without scripts, which is then printed.
$(SLIDES)/handout-%.html: slides/%.md $(DECK_SOURCES) $(SLIDES)/handout.css | $(REPORTS)
	$(Q)$(PANDOC_SLIDES) --to html --section-divs --css handout.css \
	    --output $@ $<

-include $(DECKS:slides/%.md=$(SLIDES)/%.d) \
	$(DECKS:slides/%.md=$(SLIDES)/handout-%.d)

$(SLIDES)/%.pdf: $(SLIDES)/handout-%.html grader/tools/slides-pdf
	$(SAY) "  PRINT $@"
	$(Q)grader/tools/slides-pdf $< $@

$(SLIDES)/index.html: grader/tools/slides-index $(DECKS) $(HANDOUTS)
	$(SAY) "  GEN   $@"
	$(Q)grader/tools/slides-index $(DECKS) >$@

# Those of docs/clc-explained.md, which decks show as well.
$(SLIDES)/explained/%.svg: docs/figures/%.svg
	$(Q)mkdir -p $(@D) && cp $< $@

$(SLIDES)/figures/%.svg: slides/figures/%.fig grader/tools/figure \
    $(wildcard grader/tools/figures/*.awk) grader/report/page.css $(CLCLAB)
	$(SAY) "  DRAW  $@"
	$(Q)mkdir -p $(@D) && grader/tools/figure $(CLCLAB) $< >$@

# What the grader prints for a submission in solutions/, whether it gets full marks or
# not.
$(SLIDES)/reports/%.txt: solutions/%.cu $(CLCLAB)
	$(SAY) "  GRADE $<"
	$(Q)mkdir -p $(@D) && $(CLCLAB) grade $(firstword $(subst -, ,$*)) $< \
	    --color never >$@ || [ $$? -eq 1 ]

# The page "one mbarrier, one slot", for decks and the site.
$(MACHINE_PAGE): $(GEN_MACHINE) $(wildcard grader/tools/machine/*) grader/report/page.css
	$(SAY) "  PAGE  $@"
	$(Q)mkdir -p $(@D) && grader/tools/machine/make-page $(GEN_MACHINE) >$@

$(REVEAL): grader/tools/fetch-package
	$(SAY) "  FETCH $@"
	$(Q)grader/tools/fetch-package reveal.js $@

# ---- the handbook ---------------------------------------------------------

.PHONY: instructions
instructions: $(GEN_INSTRUCTIONS) ## regenerate docs/instructions.md from the tables of instructions
	$(SAY) "  GEN   docs/instructions.md"
	$(Q)$(GEN_INSTRUCTIONS) >$(BUILT)/instructions.md
	$(Q)mv $(BUILT)/instructions.md docs/instructions.md

.PHONY: docs
docs: build/docs/clclab.1 $(MACHINE_PAGE) $(DOCS_FIGURES) | build/docs/minisearch ## make the handbook: build/docs/site/ (with the slides, if they are made), build/docs/handbook.pdf, the man page build/docs/clclab.1
	$(SAY) "  PDF   build/docs/handbook.pdf"
	$(Q)grader/tools/make-docs pdf build/docs/handbook.pdf
	$(SAY) "  SITE  build/docs/site/"
	$(Q)grader/tools/make-docs site build/docs/site

# Without it the site has no search; the next make tries again.
build/docs/minisearch: grader/tools/fetch-package
	$(SAY) "  FETCH $@"
	$(Q)grader/tools/fetch-package minisearch $@ || echo "skipped: the search of the site"

build/docs/clclab.1: docs/clclab.1.md
	$(SAY) "  MAN   $@"
	$(Q)grader/tools/make-docs man $@

##@ Teaching a class

.PHONY: handout
handout: ## make build/clclab-handout.tar.gz: the course without solutions, answers and tests [HANDOUT=file.tar.gz LABS=1-5 HINTS=no CLINIC=yes]
	$(SAY) "  TAR   $(or $(HANDOUT),build/clclab-handout.tar.gz)"
	$(Q)grader/tools/make-handout $(or $(HANDOUT),build/clclab-handout.tar.gz)

.PHONY: qti
qti: $(CLCLAB) ## make build/quizzes-qti.zip, quizzes with their answers for Canvas: [LAB=4] [OUT_FILE=x.zip]
	@grader/tools/make-qti $(CLCLAB) '$(or $(OUT_FILE),build/quizzes-qti.zip)'

.PHONY: gradescope
gradescope: ## make build/gradescope-lab04.zip, which grades on Gradescope: LAB=4 [SEED= | SEED_FROM=name] [FEEDBACK= WEAK=yes TOOLKIT=no OUT_FILE=x.zip]
	@grader/tools/make-place gradescope '$(or $(OUT_FILE),build/gradescope-lab$(shell printf %02d '$(LAB)').zip)'

.PHONY: autolab
autolab: ## make build/autolab-lab04/, an assessment to import into Autolab: LAB=4 [SEED=] [FEEDBACK= WEAK=yes TOOLKIT=no OUT=folder]
	@grader/tools/make-place autolab '$(or $(OUT),build/autolab-lab$(shell printf %02d '$(LAB)'))'
